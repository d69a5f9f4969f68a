/**
 * `view_image` for models that can see. Tool results may not hold images everywhere, and a stored image would be sent
 * and paid for again with every later turn; so the thread keeps the path, and the image goes along while it is fresh.
 */
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { z } from "zod";
import { currentTurn } from "../messages.ts";
import type { Parts } from "../parts.ts";
import { word } from "./file-part.ts";
import { locate, type Mounts, openFile, PathError } from "./mounts.ts";

const MAX_BYTES = 5_000_000;
const MAX_IMAGES = 4;
const NAME = "view_image";

const artifact = z.object({ image: z.string() });

export function imagePart(mounts: Mounts): Partial<Parts> {
  return {
    tools: [viewImageTool(mounts)],
    middleware: [freshImages(mounts)],
    lines: { [NAME]: (args) => `Looking at ${word(args.path, "an image")}` },
  };
}

function viewImageTool(mounts: Mounts): StructuredToolInterface {
  return tool(
    async ({ path }) => {
      const { shown } = await load(mounts, path);
      return [`${shown} is shown below.`, { image: shown }];
    },
    {
      name: NAME,
      description: "Look at an image file (PNG, JPEG, GIF or WebP), e.g. one a person sent to /uploads/.",
      schema: z.object({ path: z.string() }),
      responseFormat: "content_and_artifact",
    },
  );
}

/** Images of this turn go along with each model call; nothing of them is stored. */
function freshImages(mounts: Mounts): AgentMiddleware {
  return createMiddleware({
    name: NAME,
    wrapModelCall: async (request, next) => {
      const paths = viewedIn(currentTurn(request.messages));
      if (paths.length === 0) return next(request);
      const parts = (await Promise.all(paths.map((path) => imageParts(mounts, path)))).flat();
      const images = new HumanMessage({ content: parts, additional_kwargs: { hide_from_ui: true } });
      return next({ ...request, messages: [...request.messages, images] });
    },
  });
}

function viewedIn(messages: BaseMessage[]): string[] {
  const seen = messages.flatMap((message) =>
    ToolMessage.isInstance(message) && message.name === NAME
      ? (artifact.safeParse(message.artifact).data?.image ?? [])
      : [],
  );
  return [...new Set(seen)].slice(-MAX_IMAGES);
}

async function imageParts(mounts: Mounts, path: string) {
  // The file may be gone by now: then the model is told, the run goes on.
  const image = await load(mounts, path).catch(() => undefined);
  const label = { type: "text" as const, text: image ? path : `${path} is no longer there.` };
  return image ? [label, { type: "image_url" as const, image_url: { url: image.url } }] : [label];
}

async function load(mounts: Mounts, path: string): Promise<{ shown: string; url: string }> {
  const place = await locate(mounts, path);
  const { file } = await openFile(place, MAX_BYTES);
  const bytes = await file.readFile().finally(() => file.close());
  const mime = imageType(bytes);
  if (!mime) throw new PathError(`${place.path}: is not a PNG, JPEG, GIF or WebP image.`);
  return { shown: place.path, url: `data:${mime};base64,${bytes.toString("base64")}` };
}

/** By content: a name is only a claim. */
function imageType(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return undefined;
}

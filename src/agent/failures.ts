/** What went wrong, once: a code for the bridge and one sentence for the person. Never a secret, never a stack. */
import { ContextOverflowError } from "@langchain/core/errors";
import { GraphRecursionError } from "@langchain/langgraph";
import { MiddlewareError } from "langchain";
import { messageOf } from "../errors.ts";
import type { Failure, FailureCode } from "../types.ts";

/** A run that the agent itself ends, with its last words. */
export class RunFailure extends Error {
  override name = "RunFailure";
  readonly code: FailureCode;
  readonly detail: string;

  constructor(code: FailureCode, text: string, detail: string) {
    super(text);
    this.code = code;
    this.detail = detail;
  }
}

const SENTENCES: Record<FailureCode, string> = {
  model_unreachable: "I could not reach the model, so this is not finished. Please try again in a few minutes.",
  model_refused: "The model refused this request, so I could not answer it.",
  model_auth: "The model does not accept the bridge's access key. An admin has to check the key in the configuration.",
  model_overloaded: "The model is overloaded right now, so this is not finished. Please try again in a few minutes.",
  model_unknown: "The configured model does not exist at its provider. An admin has to check the model's name.",
  context_overflow: "This conversation has become too long for the model. Please start a new one with /new.",
  step_limit: "I stopped because this took more steps than one request may take. What is done so far is kept.",
  budget: "I stopped because the budget for this is used up.",
  chat_gone: "This chat cannot be reached any more.",
  internal: "Something went wrong on my side, so this is not finished. The details are in the log.",
};

export function toFailure(error: unknown): { failure: Failure; text: string } {
  const root = rootOf(error);
  if (root instanceof RunFailure) return { failure: { code: root.code, detail: root.detail }, text: root.message };
  const code = codeOf(root);
  return { failure: { code, detail: detailOf(root) }, text: SENTENCES[code] };
}

/** What was thrown first: middleware wraps errors once per layer. */
export function rootOf(error: unknown): unknown {
  let root = error;
  while (MiddlewareError.isInstance(root) && root.cause !== undefined) root = root.cause;
  return root;
}

/** Only what another try may cure. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(rootOf(error));
  return code === "model_unreachable" || code === "model_overloaded";
}

export function isOverflow(error: unknown): boolean {
  return codeOf(rootOf(error)) === "context_overflow";
}

function codeOf(error: unknown): FailureCode {
  if (error instanceof RunFailure) return error.code;
  if (error instanceof GraphRecursionError) return "step_limit";
  if (ContextOverflowError.isInstance(error)) return "context_overflow";
  const status = numberOf(error, "status");
  if (status !== undefined) return codeOfStatus(status, messageOf(error));
  return isNetwork(error) ? "model_unreachable" : "internal";
}

function codeOfStatus(status: number, message: string): FailureCode {
  if (status === 401 || status === 403) return "model_auth";
  if (status === 404) return "model_unknown";
  if (status === 429 || status === 529 || status === 503) return "model_overloaded";
  if (status === 408 || status >= 500) return "model_unreachable";
  return /context.{0,20}(length|window)|prompt is too long|too many tokens/i.test(message)
    ? "context_overflow"
    : "model_refused";
}

const NETWORK = /^(ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|UND_ERR)/;

/** Clients wrap what the socket said; the code is somewhere down the causes. */
function isNetwork(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    if (at.name === "TimeoutError" || /^APIConnection/.test(at.constructor.name)) return true;
    if ("code" in at && typeof at.code === "string" && NETWORK.test(at.code)) return true;
    if (/^(Connection error\.?|fetch failed|terminated|Premature close|Request timed out\.?)$/.test(at.message))
      return true;
  }
  return false;
}

function numberOf(value: unknown, key: string): number | undefined {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof found === "number" ? found : undefined;
}

/** Provider messages may quote the request or the key: only class, status and code are kept. Ours are kept whole. */
function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const status = numberOf(error, "status");
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const name = error.name === "Error" ? error.constructor.name : error.name;
  const facts = [name, status, code].filter((fact) => fact !== undefined).join(" ");
  return status === undefined && code === undefined ? `${facts}: ${error.message.slice(0, 300)}` : facts;
}

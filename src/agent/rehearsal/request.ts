/** What a message asks for, by simple rules: the parts of a list, in the person's own words. Pure. */

/** Longer messages are read up to here; a rehearsal needs no more to show how work goes. */
const READ_LIMIT = 4_000;
const MAX_STEPS = 8;

const NUMBERED = /(?:^|\s|[;；,，。])\(?\d{1,2}[.)、）](?!\d)\s*/u;
const BULLET = /(?:^|\n)\s*[-*•]\s+/u;
const BREAK = /\n+|[;；]|[,，、]\s*(?:and\s+|then\s+|然后|再)?|\s+(?:and then|then)\s+|然后|接着/u;

export function stepsOf(text: string): string[] {
  const read = text.slice(0, READ_LIMIT).toWellFormed();
  const listed = [NUMBERED, BULLET].map((marker) => behindMarkers(read, marker)).find((items) => items.length >= 2);
  const steps = listed ?? clean(read.split(BREAK));
  return steps.slice(0, MAX_STEPS);
}

function behindMarkers(text: string, marker: RegExp): string[] {
  return clean(text.split(marker).slice(1));
}

function clean(parts: string[]): string[] {
  return parts
    .map((part) =>
      part
        .replace(/\s+/g, " ")
        .replace(/^(?:and|then|please|请)\s+/i, "")
        .replace(/[\s.,;:，；。]+$/u, "")
        .trim(),
    )
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .map((part) => (part.length > 200 ? `${part.slice(0, 199).toWellFormed()}…` : part));
}

const FILE = /(?:[\w@~-][\w.@~/-]*\/)?[\w@-][\w.@-]*\.[A-Za-z][A-Za-z0-9]{0,7}\b|\bDockerfile\b|\bMakefile\b/u;

function fileIn(step: string): string | undefined {
  return FILE.exec(step.replace(/https?:\/\/\S+/g, ""))?.[0];
}

export type Task =
  | { kind: "read"; path: string }
  | { kind: "dependencies"; path: string }
  | { kind: "lines"; path: string }
  | { kind: "largest" }
  | { kind: "list" }
  | { kind: "find"; pattern: string }
  | { kind: "search"; text: string }
  | { kind: "none" };

/** `before` are the steps that came first: "count its dependencies" means the file read just now. */
export function taskOf(step: string, before: string[]): Task {
  const file = fileIn(step);
  const known = file ?? before.map(fileIn).findLast((path) => path !== undefined);
  if (/dependenc|依赖|依賴/i.test(step)) return { kind: "dependencies", path: known ?? "package.json" };
  if (
    /\b(large|larg|big|heav)\w*\b.*\b(folder|director|dir)|disk usage|最大.*(文件夹|目录|資料夾)|(文件夹|目录).*最大/i.test(
      step,
    )
  )
    return { kind: "largest" };
  if (known && /\b(count|how many|number of)\b.*\blines?\b|行数|多少行/i.test(step))
    return { kind: "lines", path: known };
  if (file && !/\b(write|create|delete|edit|send)\b|写|删/i.test(step)) return { kind: "read", path: file };
  const wanted = /["'“「`]([^"'”」`]{1,100})["'”」`]/u.exec(step)?.[1];
  if (wanted && /\b(search|grep|look for|where)\b|搜索|查找/i.test(step)) return { kind: "search", text: wanted };
  const pattern = /\*[\w.*/-]+/.exec(step)?.[0];
  if (pattern) return { kind: "find", pattern };
  if (/\b(list|show|ls|what|which)\b.*\b(files?|folders?|director\w*)\b|列出.*(文件|目录)/i.test(step))
    return { kind: "list" };
  return { kind: "none" };
}

export interface ToolUse {
  name: string;
  args: Record<string, unknown>;
}

export function toolFor(task: Task): ToolUse | undefined {
  switch (task.kind) {
    case "read":
    case "dependencies":
    case "lines":
      return { name: "read_file", args: { path: task.path } };
    case "largest":
      return { name: "disk_usage", args: { path: "." } };
    case "list":
      return { name: "ls", args: { path: "." } };
    case "find":
      return { name: "glob", args: { pattern: task.pattern } };
    case "search":
      return { name: "grep", args: { text: task.text } };
    case "none":
      return undefined;
  }
}

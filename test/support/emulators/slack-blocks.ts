/** What Slack refuses in `blocks`. Undefined means accepted; else the error code it would answer with. */
type Dict = Record<string, unknown>;

const STATUSES = ["pending", "in_progress", "complete", "error"];
const isDict = (value: unknown): value is Dict => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown, max: number): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= max;
const onlyKeys = (block: Dict, keys: string[]) =>
  Object.keys(block).every((key) => ["type", "block_id", ...keys].includes(key));

function textObject(value: unknown, max: number, types = ["plain_text", "mrkdwn"]): boolean {
  return isDict(value) && types.includes(String(value.type)) && isText(value.text, max);
}

function button(value: unknown): boolean {
  if (!isDict(value) || value.type !== "button" || !textObject(value.text, 75, ["plain_text"])) return false;
  if (value.value !== undefined && !isText(value.value, 2000)) return false;
  if (value.style !== undefined && value.style !== "primary" && value.style !== "danger") return false;
  return value.action_id === undefined || isText(value.action_id, 255);
}

function richText(value: unknown): boolean {
  return value === undefined || (isDict(value) && value.type === "rich_text" && Array.isArray(value.elements));
}

function taskCard(value: unknown): boolean {
  if (!isDict(value) || value.type !== "task_card") return false;
  if (!onlyKeys(value, ["task_id", "title", "status", "details", "output", "sources"])) return false;
  if (!isText(value.task_id, 255) || !isText(value.title, 3000) || !STATUSES.includes(String(value.status)))
    return false;
  return richText(value.details) && richText(value.output);
}

function plan(block: Dict): boolean {
  const tasks = block.tasks ?? [];
  if (!onlyKeys(block, ["title", "tasks"]) || !isText(block.title, 3000) || !Array.isArray(tasks)) return false;
  const ids = tasks.map((task) => (isDict(task) ? task.task_id : undefined));
  return tasks.length <= 50 && tasks.every(taskCard) && new Set(ids).size === ids.length;
}

function actions(block: Dict): boolean {
  const elements = block.elements;
  if (!Array.isArray(elements) || elements.length < 1 || elements.length > 25 || !elements.every(button)) return false;
  const ids = elements.map((element) => element.action_id);
  return new Set(ids).size === ids.length;
}

const CHECKS: Record<string, (block: Dict) => boolean> = {
  section: (block) => onlyKeys(block, ["text", "fields", "accessory", "expand"]) && textObject(block.text, 3000),
  context: (block) =>
    Array.isArray(block.elements) &&
    block.elements.length >= 1 &&
    block.elements.length <= 10 &&
    block.elements.every((element) => textObject(element, 2000)),
  divider: () => true,
  header: (block) => textObject(block.text, 150, ["plain_text"]),
  markdown: (block) => isText(block.text, 12_000),
  actions,
  plan,
  task_card: taskCard,
};

export function blockProblem(blocks: unknown, refused: ReadonlySet<string>): string | undefined {
  if (!Array.isArray(blocks)) return "invalid_blocks_format";
  if (blocks.length > 50) return "invalid_blocks";
  for (const block of blocks) {
    if (!isDict(block) || refused.has(String(block.type)) || !CHECKS[String(block.type)]?.(block))
      return "invalid_blocks";
  }
  const ids = blocks.map((block: Dict) => block.block_id).filter((id) => id !== undefined);
  if (new Set(ids).size !== ids.length || ids.some((id) => !isText(id, 255))) return "invalid_blocks";
  return JSON.stringify(blocks.filter((block) => block.type !== "plan")).length > 13_200
    ? "msg_blocks_too_long"
    : undefined;
}

/** Whether a message deserves a live plan (`is_plan_mode: auto`): many steps, a list of tasks, or a plan asked for. Pure. */
import { CHINESE_PROJECTS, CHINESE_VERBS, ENGLISH_PROJECTS, ENGLISH_VERBS } from "./plan-words.ts";

export interface PlanDecision {
  plan: boolean;
  /** A few words for /status. */
  reason: string;
}

const ENOUGH_STEPS = 3;
/** What a message is about stands at its beginning; the rest may be a pasted document. */
const MOST_CHARACTERS = 4_000;

export function classifyPlanMode(text: string): PlanDecision {
  const words = text.slice(0, MOST_CHARACTERS).normalize("NFKC").replace(QUOTED, " ").trim();
  if (DECLINES.test(words)) return { plan: false, reason: "asked for no plan" };
  if (ASKS.some((pattern) => pattern.test(words))) return { plan: true, reason: "asks for a plan" };
  const items = listItems(words).filter(isTask).length;
  if (items >= 2) return { plan: true, reason: `a list of ${items} tasks` };
  if (COUNTS_TASKS.test(words)) return { plan: true, reason: "names several tasks" };
  const steps = isStory(words) ? 0 : countSteps(words);
  if (steps >= ENOUGH_STEPS) return { plan: true, reason: `${steps} steps` };
  if (steps >= 2 && REPEATS.test(words)) return { plan: true, reason: "the same steps for several things" };
  const parts = namedParts(words);
  if (parts >= ENOUGH_STEPS) return { plan: true, reason: `a task with ${parts} parts` };
  return { plan: false, reason: steps > 1 ? `only ${steps} steps` : "one step or small talk" };
}

/** Text that is talked about, not asked for. */
const QUOTED = /```[\s\S]*?```|`[^`]*`|"[^"\n]*"|“[^”]*”|「[^」]*」|『[^』]*』|\{[^{}]*\}/g;

const DECLINES =
  /\b(no need (for|to)( make)?|without|don't|do not|no|skip the) (a |any |the )?(plan|planning|todo)|(不用|不要|不需要|无需|無需|别|別|不必)(做|写|寫|列|制定|再)*(计划|計畫|計劃|规划|規劃|清单|清單)/i;

const PLAN_NOUN =
  "(plans?|to-?do(s| list)?|check ?list|road ?map|schedule|timeline|itinerary|step-by-step|steps|phases|milestones|subtasks|list of (everything|all|what))";
const PLAN_NOUN_ZH =
  "(计划|計畫|計劃|规划|規劃|待办|待辦|清单|清單|路线图|路線圖|时间表|時間表|行程|方案|步骤|步驟|里程碑|子任务|子任務|阶段|階段)";

const ASKS = [
  new RegExp(
    `\\b(make|create|write|draft|give|prepare|want|need|like|outline|lay out|lay it out|work out|show|build|propose|come up with|put together|set up|design|develop|suggest|list|use|into|as|following)\\b(?: (?!on |going )[\\w'-]+){0,5}? ${PLAN_NOUN}\\b`,
    "i",
  ),
  /(^|[.!?:;,]\s*|\b(please|you|me|to|let's|us|and|then) )plan (a|an|the|my|our|this|that|out|for|how)\b/i,
  /\b(break|split|divide) (this|it|that|the \w+)( \w+)?( down)?( in)?to\b|\bbreak (this|it|that|the \w+)( \w+)? down\b/i,
  /\bplan[- ]mode\b|计划模式|計畫模式|計劃模式/i,
  /\b(step by step|one by one)\b.*\b(plan|steps|guide me|walk)|\b(lay|set) (it|them|this) out as (tasks|steps)/i,
  new RegExp(
    `(给我|給我|做|写|寫|制定|起草|列|拟|擬|想要|我要|需要|来|來|排|出|设计|設計|准备|準備|搞|拿|把|先)[^。！？!?\\n]{0,30}?${PLAN_NOUN_ZH}`,
  ),
  /(帮我|幫我|请|請|先|来|來|^)(好好)?(规划|規劃|策划|策劃)/,
  /(拆|分解|拆分|分)[成为為]?.{0,6}(步骤|步驟|任务|任務|阶段|階段)|一步一步/,
];

const COUNTS_TASKS =
  /\b(two|three|four|five|six|several|a few|some|these|\d+) (things|tasks|jobs|chores|errands)\b[^.?!]*:|(两|兩|三|四|五|六|几|幾|\d+)(件|个|個|项|項)(事|任务|任務|事情|工作)[^。？?！]*[:：]/i;

const REPEATS = /\b(for (each|every|all)|each (of|one)|every one)\b|逐|每(个|個|一|份|篇|条|條)|分别|分別/i;

const MARKER =
  /(?:^|\s|[;；。，,])(?:\(?\d{1,2}[.)、](?!\d)|\(?[a-h]\)|[-*•]\s|step \d+:?|第[一二三四五六七八九十]+步[:：]?|[一二三四五六七八九十][、.])\s*/gi;

/** What follows each marker; nothing when there are fewer than two. */
function listItems(text: string): string[] {
  const items = text.split(MARKER).slice(1);
  return items.length < 2 ? [] : items.map((item) => item.trim());
}

/** A task begins with an action; in a list a question is one too ("2) who can deliver it"). */
function isTask(item: string): boolean {
  return (
    isAction(item) ||
    /^(what|who|how|where|when|which|why|whether)\b|^(需要|谁|誰|多少|什么|什麼|怎么|怎麼|哪)/i.test(item)
  );
}

function countSteps(text: string): number {
  return clauses(text).filter(isAction).length;
}

const BREAKS =
  /[,;.!?\n:，；。！？、：]+|\s+-+\s+|\b(?:and then|and|then|after that|afterwards|next|finally|also|but|or)\b|然后|然後|接着|接著|之后|之後|最后|最後|完事了?|完了|随后|隨後|并且|並且|(?<=.)[并並再](?=[^\s]{2})/i;

function clauses(text: string): string[] {
  return text.split(BREAKS).flatMap((it) => (it?.trim() ? [it.trim()] : []));
}

const LEAD =
  /^(?:(?:ok|okay|hey|hi|so|now|please|kindly|just|first|firstly|second|third|last|lastly|start by|begin by|can you|could you|would you|will you|you|i need you to|i want you to|i'd like you to|i have to|i need to|we have to|we need to|we should|i want to|help me|let's|lets|to|if it works|have a|do a|both)\s+)+/i;
const GERUND = /^(?:start|begin) (?:by|with) \w+ing\b/i;
const LEAD_ZH =
  /^(?:请|請|我要|我想|我需要|帮我|幫我|帮忙|幫忙|麻烦你?|麻煩你?|你|先|首先|再|也|还要|還要|还|還|去|就|要|都|来|來|可以|能不能|我们|我們|今天|这週|這週|这周|没问题就|沒問題就|逐篇|在[^\s]{1,5}?[里裡上中前])+/;
const ACTION_ZH = new RegExp(`^(?:把|将|將|给|給|对|對|向|从|從|每|${CHINESE_VERBS})`);

function isAction(clause: string): boolean {
  if (GERUND.test(clause)) return true;
  if (/^\p{Script=Han}/u.test(clause)) return ACTION_ZH.test(clause.replace(LEAD_ZH, "") || clause);
  const [verb = "", next] = clause
    .replace(LEAD, "")
    .toLowerCase()
    .split(/[^a-z'-]+/);
  return ENGLISH_VERBS.has(verb) && next !== undefined && !/^(is|are|was|were|has|had|will|sounds?)$/.test(next);
}

/** Something that happened, not something to do. */
function isStory(text: string): boolean {
  const told =
    /^(when|after|before|while|if|yesterday|last|today) ?(\w+ )?(i|we|he|she|they|it)\b|^(yesterday|last (week|night))\b/i;
  const toldZh = /^(昨天|昨晚|上周|上週|刚才|剛才|当|當)|^我(?!想|要|们|們|需要|希望)[^，,]*[，,].*(吗|嗎|呢|[?？]$)/;
  return told.test(text) || toldZh.test(text);
}

const REQUEST = /^(can|could|would|will) you\b|\bplease\b|能不能|可以帮|可以幫|请|請/i;

/** Things a project consists of: "the offsite: venue, catering, travel and a budget". */
function namedParts(text: string): number {
  const [, head = "", tail = ""] =
    /^([\s\S]*?)(?::|：|\bi\.e\.,?|\bwe need\b|\bi(?:'d| would) like\b|[，,])([\s\S]*)$/i.exec(text) ?? [];
  const asksToDo = !/[?？吗嗎]\s*$/.test(text) || REQUEST.test(text);
  if (!asksToDo || !(ENGLISH_PROJECTS.test(head) || CHINESE_PROJECTS.test(head))) return 0;
  return tail.split(/[,;，、；]|\band\b|还有|還有|和/).filter((part) => part.trim() !== "").length;
}

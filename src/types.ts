/** The nouns of the bridge. JSON-safe throughout: these cross Redis and restarts unchanged. */
import type { Inbound, MessageRef, OutFile, Subagent, Todo, User } from "../channels/channel.ts";

export type PlanMode = boolean | "auto";
export type PlanApproval = "never" | "first" | "always";

/** What a chat, user or message may set about a run; the snake_case keys are the config's and the gateway's. */
export interface SessionContext {
  is_plan_mode: PlanMode;
  plan_approval: PlanApproval;
  thinking_enabled: boolean;
  reasoning_effort?: "minimal" | "low" | "medium" | "high" | undefined;
  model_name?: string | undefined;
  subagent_enabled: boolean;
  max_concurrent_subagents: number;
  agent_name?: string | undefined;
  is_bootstrap?: boolean | undefined;
  /** What the whole conversation is for, in people's words; set by `/goal`. */
  goal?: string | undefined;
}

/** The context of one run, with plan mode decided and identity added. */
export interface RunContext extends SessionContext {
  is_plan_mode: boolean;
  thread_id: string;
  run_id: string;
  /** `channel:user id`, never shared between people. */
  user_id: string;
  channel: string;
  /** The chat key; what chat memory is filed under. */
  chat_id: string;
  /** A conversation with one person alone; only there it matters what is remembered about them. Absent: no. */
  private?: boolean | undefined;
}

export interface Session {
  /** From platform facts alone (src/sessions.ts). */
  key: string;
  /** `/new` adds one. */
  epoch: number;
  /** `key#epoch`: the LangGraph thread. */
  threadId: string;
  /** What `/plan`, `/model`, `/agent` set for this session. */
  overrides: Partial<SessionContext>;
  createdAt: number;
  usedAt: number;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  modelCalls: number;
}

/** What the run waits for. Options are shown as buttons; words work as well. */
export interface Question {
  /** LangGraph's interrupt id: answers resume by it, never by position. */
  id: string;
  kind: "clarification" | "plan" | "tool";
  text: string;
  options: string[];
  /** Only an admin may decide, whoever asked. */
  byAdmin?: boolean | undefined;
  /** The message that carries the buttons, once posted. */
  ref?: MessageRef | undefined;
  askedAt: number;
}

/** A person's answer to a question. */
export type Answer =
  | { questionId: string; by: User; decision: "answer"; text: string }
  | { questionId: string; by: User; decision: "approve" | "reject" }
  | { questionId: string; by: User; decision: "change"; text: string };

export interface Board {
  ref: MessageRef;
  /** Counts what was shown; grows by one with every edit that reached the platform. */
  revision: number;
  /** Hash of the view last shown. */
  shown: string;
  /** True once the message was posted anew after a person deleted it: that happens once. */
  reposted?: boolean | undefined;
}

export type Outcome =
  | { kind: "done"; text: string }
  | { kind: "failed"; text: string; failure: Failure }
  | { kind: "stopped"; text: string }
  | { kind: "lost"; text: string };

export type FailureCode =
  | "model_unreachable"
  | "model_refused"
  | "model_auth"
  | "model_overloaded"
  | "model_unknown"
  | "context_overflow"
  | "step_limit"
  | "budget"
  | "chat_gone"
  | "internal";

export interface Failure {
  code: FailureCode;
  /** For the log; no secret, no message body. */
  detail: string;
}

export type RunStatus = "queued" | "running" | "waiting" | "done" | "failed" | "stopped" | "lost";

export interface RunFile extends OutFile {
  comment?: string | undefined;
}

/** One accepted message and all that came of it. Exists from `accept` on. */
export interface Run {
  /** Derived from the inbound id, so a redelivery is the same run. At most 20 characters, [a-z0-9]. */
  id: string;
  session: string;
  threadId: string;
  inbound: Inbound;
  context: SessionContext;
  /** Why plan mode is on or off, for /status. */
  planReason?: string | undefined;
  status: RunStatus;
  /** Times a worker has begun it. */
  attempt: number;
  todos: Todo[];
  subagents?: Subagent[] | undefined;
  board?: Board | undefined;
  question?: Question | undefined;
  answer?: Answer | undefined;
  /** Set before the last words are posted, so that a restart delivers instead of asking the model again. */
  outcome?: Outcome | undefined;
  /** Pieces of the answer that reached the chat, in order. */
  delivered: MessageRef[];
  /** Nonces of posts announced and not yet recorded (src/post-once.ts). */
  posting?: string[] | undefined;
  /** The message in which the answer is shown while it is written. */
  draft?: MessageRef | undefined;
  /** Files to be sent with the answer. */
  files?: RunFile[] | undefined;
  /** Set by /stop, read by the worker that owns the run. */
  stop?: { by: User; at: number } | undefined;
  queuedAt: number;
  startedAt?: number | undefined;
  endedAt?: number | undefined;
  usage: Usage;
}

/** What the agent tells while it works. The stream ends with exactly one of the last five and does not throw. */
export type AgentEvent =
  /** The whole text of the answer so far, of the current model message. */
  | { type: "text"; text: string }
  | { type: "todos"; todos: Todo[] }
  /** A tool began or ended; `line` is one short sentence fit for the chat. */
  | { type: "tool"; id: string; name: string; status: "running" | "done" | "failed"; line: string }
  | { type: "subagent"; subagent: Subagent }
  | { type: "usage"; usage: Usage }
  /** A file from outputs/ to be sent to the chat. */
  | { type: "file"; path: string; name: string; mime: string; comment?: string }
  | { type: "done"; text: string }
  | { type: "failed"; failure: Failure; text: string }
  | { type: "stopped" }
  | { type: "ask"; question: Question }
  | { type: "approve"; question: Question };

export interface AgentRequest {
  context: RunContext;
  /** The message of this run. Its `id` decides start, resume or "already done" (architecture.md). */
  input: { id: string; text: string; speaker: User; quoted?: string | undefined; files: InputFile[] };
  /** What this chat can render; becomes a prompt layer. */
  dialect: string;
  /** Set when the run goes on after a question. */
  answer?: Answer | undefined;
  /** What the run is known to have used before it goes on, its subagents included. */
  spent?: Usage | undefined;
  /** What policy leaves to this run. */
  limits: RunLimits;
  signal: AbortSignal;
  /** Messages that arrived while the run is active and should steer it; called before each model step. */
  steers?(): Promise<{ id: string; text: string; speaker: User }[]>;
}

export interface RunLimits {
  /** Names or `*` patterns; deny wins. Absent = every configured tool. */
  tools?: { allow?: string[] | undefined; deny?: string[] | undefined } | undefined;
  runTokens?: number | undefined;
  runModelCalls?: number | undefined;
  /** Tokens left of the chat's daily budget. */
  chatTokensLeft?: number | undefined;
  recursionLimit?: number | undefined;
}

export interface InputFile {
  name: string;
  type: string;
  /** Absolute path in this session's uploads/. */
  path: string;
  /** Why there is no file there, in words: it was sent and could not be taken. */
  problem?: string | undefined;
}

export interface Agent {
  stream(request: AgentRequest): AsyncIterable<AgentEvent>;
  /** Deletes what the agent remembers of a thread: checkpoints and workspace. */
  forget(threadId: string): Promise<void>;
  close(): Promise<void>;
}

export type { Inbound, MessageRef, Subagent, Todo, User };

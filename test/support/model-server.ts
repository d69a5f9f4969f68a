/** A model provider on loopback that speaks OpenAI's and Anthropic's protocols and says what a test scripted. */
import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";

export interface Call {
  name: string;
  args: Record<string, unknown> | string;
  id?: string;
}

export interface Reply {
  text?: string;
  calls?: Call[];
  finishReason?: string;
  usage?: { input: number; output: number };
  /** HTTP status of a refusal instead of a reply. */
  status?: number;
  message?: string;
  /** Called when the request arrives. */
  onRequest?: (request: ChatCompletionRequest) => void;
}

export interface ModelServer {
  /** For ChatOpenAI. */
  openai: string;
  /** For ChatAnthropic. */
  anthropic: string;
  /** Replies in order; the last one repeats when `repeat` is set. */
  script(replies: Reply[], options?: { repeat?: boolean }): void;
  /** Replies by what was asked, where the order is not known: calls side by side. */
  reply(by: (request: ChatCompletionRequest) => Reply | Promise<Reply>): void;
  /** Every request so far, as a chat completion. */
  requests(): ChatCompletionRequest[];
  stop(): Promise<void>;
}

let calls = 0;

export async function startModelServer(options: { slowMs?: number; chunkSize?: number } = {}): Promise<ModelServer> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true });
  let replies: Reply[] = [];
  let repeats = false;
  const seen: ChatCompletionRequest[] = [];
  let replyTo: ((request: ChatCompletionRequest) => Reply | Promise<Reply>) | undefined;
  const next = async (request: ChatCompletionRequest) => {
    seen.push(structuredClone(request));
    if (replyTo) return response(await replyTo(request));
    const reply = replies.length === 1 && repeats ? replies[0] : replies.shift();
    reply?.onRequest?.(request);
    return response(reply);
  };
  const { slowMs, chunkSize } = options;
  mock.on({ predicate: () => true }, next, { ...(slowMs && { latency: slowMs }), ...(chunkSize && { chunkSize }) });
  await mock.start();
  return {
    openai: `${mock.url}/v1`,
    anthropic: mock.url,
    script: (script, { repeat = false } = {}) => {
      replies = [...script];
      repeats = repeat;
      replyTo = undefined;
      seen.length = 0;
    },
    reply: (by) => {
      replyTo = by;
      seen.length = 0;
    },
    requests: () => seen,
    stop: () => mock.stop(),
  };
}

function response(reply: Reply | undefined) {
  if (!reply) return { error: { message: "the test scripted no further reply", type: "server_error" }, status: 500 };
  if (reply.status !== undefined) {
    return { error: { message: reply.message ?? `refused with ${reply.status}`, type: "error" }, status: reply.status };
  }
  const { input, output } = reply.usage ?? { input: 10, output: 5 };
  const common = {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
    },
    ...(reply.finishReason === undefined ? {} : { finishReason: reply.finishReason }),
  };
  const toolCalls = (reply.calls ?? []).map(({ name, args, id }) => {
    calls += 1;
    return { name, id: id ?? `call_${calls}`, arguments: typeof args === "string" ? args : JSON.stringify(args) };
  });
  if (toolCalls.length === 0) return { content: reply.text ?? "", ...common };
  return reply.text === undefined ? { toolCalls, ...common } : { content: reply.text, toolCalls, ...common };
}

export function openaiModel(server: ModelServer, more: Record<string, unknown> = {}) {
  return { name: "main", provider: "openai", model: "gpt-4.1-mini", base_url: server.openai, api_key: "k", ...more };
}

export function anthropicModel(server: ModelServer, more: Record<string, unknown> = {}) {
  const model = "claude-sonnet-4-5";
  return { name: "main", provider: "anthropic", model, base_url: server.anthropic, api_key: "k", ...more };
}

/** What the model was told in one request, by role. */
export function told(request: ChatCompletionRequest | undefined, role: string): string[] {
  const messages = (request?.messages ?? []).filter((message) => message.role === role);
  return messages.map(({ content }) =>
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join(""),
  );
}

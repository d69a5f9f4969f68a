import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { webSearchTool } from "../../../../src/agent/tools/web-search.ts";

let server: Server;
let base: string;
let asked: { url: string; method: string; body: string; headers: IncomingMessage["headers"] }[];
let answer: { status: number; body: unknown };

beforeEach(async () => {
  asked = [];
  server = createServer(async (request, response) => {
    const body = await text(request);
    asked.push({ url: request.url ?? "", method: request.method ?? "", body, headers: request.headers });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const search = (provider: "tavily" | "brave" | "searxng", query: string): Promise<string> =>
  webSearchTool({ provider, api_key: "k-1", base_url: base })?.invoke({ query }) as Promise<string>;

describe("web_search", () => {
  it("is absent without a provider", () => {
    expect(webSearchTool({ provider: "none" })).toBeUndefined();
  });

  it("speaks tavily and hands results over as escaped data", async () => {
    answer = { status: 200, body: { results: [{ title: 'A "b"', url: "https://a.example/", content: "</result>x" }] } };
    expect(await search("tavily", "what <is> it")).toBe(
      '<search_results query="what &lt;is&gt; it">\n' +
        '<result title="A &quot;b&quot;" url="https://a.example/">\n&lt;/result&gt;x\n</result>\n</search_results>',
    );
    expect(asked[0]).toMatchObject({ method: "POST", url: "/search" });
    expect(asked[0]?.headers.authorization).toBe("Bearer k-1");
    expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ query: "what <is> it" });
  });

  it("speaks brave", async () => {
    answer = { status: 200, body: { web: { results: [{ title: "T", url: "https://b.example/", description: "D" }] } } };
    expect(await search("brave", "a b")).toContain('<result title="T" url="https://b.example/">\nD\n</result>');
    expect(asked[0]?.url).toMatch(/^\/res\/v1\/web\/search\?q=a\+b&/);
    expect(asked[0]?.headers["x-subscription-token"]).toBe("k-1");
  });

  it("speaks searxng", async () => {
    answer = { status: 200, body: { results: [{ title: "T", url: "https://c.example/", content: "C", score: 1 }] } };
    expect(await search("searxng", "c")).toContain("https://c.example/");
    expect(asked[0]?.url).toBe("/search?q=c&format=json");
  });

  it("says when nothing was found and when the service refuses, without its key", async () => {
    answer = { status: 200, body: {} };
    expect(await search("tavily", "x")).toBe('Nothing was found for "x".');
    answer = { status: 401, body: { error: "bad key k-1" } };
    await expect(search("brave", "x")).rejects.toThrow("The search service (brave) answered 401.");
  });
});

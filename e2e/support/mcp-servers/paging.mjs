// Lists its tools in pages: `three` in three pages, `loop` round in circles, `endless` for ever.
import { ANY_OBJECT, serveStdio, text } from "./stdio-server.mjs";

const kind = process.argv[2] ?? "three";
/** @type {Record<string, (page: number) => string | undefined>} */
const next = {
  three: (page) => (page < 3 ? String(page + 1) : undefined),
  loop: (page) => (page === 2 ? "1" : String(page + 1)),
  endless: (page) => String(page + 1),
};

serveStdio({
  name: "paging",
  tools: [{ name: "tool_1", run: () => text("one") }],
  listTools: ({ cursor }) => {
    const page = Number(cursor ?? "1");
    return { tools: [{ name: `tool_${page}`, inputSchema: ANY_OBJECT }], nextCursor: next[kind]?.(page) };
  },
});

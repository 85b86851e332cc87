// Starts as a package does that is downloaded first: later than the usual wait for a first list.
const STARTS_AFTER_MS = 7_000;

await new Promise((resolve) => setTimeout(resolve, STARTS_AFTER_MS));
await import("./paging.mjs");

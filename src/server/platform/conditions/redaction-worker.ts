// Searches large results, and results in which a pattern looks far ahead.
import type { RedactionInput, ResultSearch } from "../../engine/rules/rule-ports";
import { serveJobs } from "../workers/serve-jobs";
import { compileRewriter } from "./rewrite-result";

interface RedactionJob {
  search: ResultSearch;
  input: RedactionInput;
}

/** The server ends the thread when a job takes too long. */
serveJobs(({ search, input }: RedactionJob) => compileRewriter(search).rewrite(input, Number.POSITIVE_INFINITY));

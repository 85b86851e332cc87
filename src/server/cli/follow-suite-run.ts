import type { SuiteRunDetail } from "../../lib/contract/suite";
import type { ApiClient } from "./api-client";
import type { CommandIo } from "./command-io";
import { askPatiently } from "./lost-answer";
import { write } from "./output";

/** How long a request may wait for the end of a run. */
const WAIT_MS = 10_000;
const CANCEL_LIMIT_MS = 3_000;

/** Waits for the end of a run; Ctrl+C cancels it. */
export async function followRun(started: SuiteRunDetail, api: ApiClient, io: CommandIo): Promise<SuiteRunDetail> {
  let run = started;
  const target = `/suite-runs/${encodeURIComponent(run.id)}`;
  try {
    while (run.status === "running") {
      run = await askPatiently(() => api.get<SuiteRunDetail>(target, { waitMs: WAIT_MS }), io);
    }
    return run;
  } catch (error) {
    if (!io.signal.aborted) throw error;
    const limit = AbortSignal.timeout(CANCEL_LIMIT_MS);
    const cancelling = api.sendText("POST", `${target}/cancel`, "{}", limit).then(
      () => write(io.stderr, `Cancelled ${run.id}.\n`),
      () => write(io.stderr, `${run.id} may go on: cancel it on its page under Suites.\n`),
    );
    io.holdExit(cancelling);
    await cancelling;
    throw error;
  }
}

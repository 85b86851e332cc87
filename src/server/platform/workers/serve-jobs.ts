import { parentPort } from "node:worker_threads";
import { getMessage } from "../../../lib/get-message";
import type { WorkerMessage } from "./start-worker";

/**
 * The worker's side of `BoundedWorker`, in a thread or a process: does each job that is posted. A job that throws has failed;
 * the server ends the worker when a job takes too long.
 */
export function serveJobs<Job>(run: (job: Job) => unknown): void {
  const post = (message: WorkerMessage) => {
    if (parentPort) parentPort.postMessage(message);
    else process.send?.(message);
  };
  const receive = async (job: Job & { id: number }) => {
    const { id } = job;
    try {
      post({ id, value: await run(job) });
    } catch (error) {
      post({ id, failed: getMessage(error) });
    }
  };
  if (parentPort) parentPort.on("message", receive);
  else process.on("message", receive).on("disconnect", () => process.exit(0));
  post({ ready: true });
}

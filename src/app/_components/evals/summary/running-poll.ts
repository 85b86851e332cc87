const POLL_MS = 5_000;

/** A running check tells how far it is; asked as well, should the events not come. */
export function runningPollMs(running: boolean): number | false {
  return running ? POLL_MS : false;
}

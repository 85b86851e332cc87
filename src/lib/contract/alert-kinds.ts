export const ALERT_KINDS = [
  "failure_rate",
  "invalid_rate",
  "p95_latency",
  "server_down",
  "approval_waiting",
  "change_held",
  "limit_usage",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The subjects that a rule about calls evaluates one by one, with an alert for each. */
export const ALERT_SUBJECTS = ["tool", "server", "client"] as const;
export type AlertSubject = (typeof ALERT_SUBJECTS)[number];

interface KindWords {
  label: string;
  /** The figure that is compared with the threshold. */
  measure: string;
  unit: string;
  threshold: number;
  /** Checks the calls of a window, so it has a window and a minimum of calls. */
  ofCalls: boolean;
  ofTool: boolean;
}

export const ALERT_WORDS: Record<AlertKind, KindWords> = {
  failure_rate: {
    label: "Failure rate",
    measure: "Failure rate above",
    unit: "%",
    threshold: 20,
    ofCalls: true,
    ofTool: true,
  },
  invalid_rate: {
    label: "Invalid calls",
    measure: "Invalid calls above",
    unit: "%",
    threshold: 20,
    ofCalls: true,
    ofTool: true,
  },
  p95_latency: {
    label: "p95 duration",
    measure: "p95 duration above",
    unit: "ms",
    threshold: 2_000,
    ofCalls: true,
    ofTool: true,
  },
  server_down: {
    label: "Server down",
    measure: "Not connected for",
    unit: "min",
    threshold: 5,
    ofCalls: false,
    ofTool: false,
  },
  approval_waiting: {
    label: "Approval waiting",
    measure: "Waiting for",
    unit: "min",
    threshold: 10,
    ofCalls: false,
    ofTool: true,
  },
  change_held: {
    label: "Tool change held",
    measure: "Held changes, at least",
    unit: "",
    threshold: 1,
    ofCalls: false,
    ofTool: false,
  },
  limit_usage: {
    label: "Limit usage",
    measure: "Used of a limit, at least",
    unit: "%",
    threshold: 80,
    ofCalls: false,
    ofTool: false,
  },
};

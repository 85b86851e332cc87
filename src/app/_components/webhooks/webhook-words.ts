import type { BadgeTone } from "@/app/_ui/badge";
import type { WebhookDelivery, WebhookEvent } from "@/lib/contract/webhook";

export const EVENT_LABELS: Record<WebhookEvent, string> = {
  "approval.requested": "Approval requested",
  "server.disconnected": "Server disconnected",
  "change.held": "Tool change held",
  "run.failed": "Run failed",
  "execution.failed": "Execution failed",
  "suite.failed": "Scheduled suite failed",
  "alert.fired": "Alert fired",
  "alert.resolved": "Alert resolved",
};

export const STATUS_TONES: Record<WebhookDelivery["status"], BadgeTone> = {
  pending: "accent",
  delivered: "ok",
  failed: "bad",
};

/** The test event has a label of its own, since no webhook can subscribe to it. */
export const describeEvent = (event: string): string =>
  Object.hasOwn(EVENT_LABELS, event) ? EVENT_LABELS[event as WebhookEvent] : event === "test" ? "Test" : event;

import { z } from "zod";

export const webhookEventSchema = z.enum([
  "approval.requested",
  "server.disconnected",
  "change.held",
  "run.failed",
  "execution.failed",
  "suite.failed",
  "alert.fired",
  "alert.resolved",
]);
export type WebhookEvent = z.infer<typeof webhookEventSchema>;

const urlSchema = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .max(2_000)
  // Reports one problem at a time: a text that is not an address is not checked for a user name.
  .refine((url) => !URL.canParse(url) || (new URL(url).username === "" && new URL(url).password === ""), {
    error: "must not contain a user name or password",
  });

export const webhookInputSchema = z.strictObject({
  url: urlSchema.describe("Where events are sent by POST"),
  description: z.string().trim().max(300).default(""),
  events: z.array(webhookEventSchema).min(1, "must name at least one event").max(10),
  tools: z
    .array(z.string().min(1).max(300))
    .max(200)
    .default([])
    .describe("The tools of `execution.failed` and `approval.requested`; empty for all"),
  enabled: z.boolean().default(true),
  approverId: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe("The user in whose name a link in `approval.requested` approves or rejects; null for no link"),
});
export type WebhookInput = z.infer<typeof webhookInputSchema>;

export const webhookUpdateSchema = webhookInputSchema.extend({
  url: urlSchema.optional().describe("A new address; absent, or as it is shown, to keep the stored one"),
});
export type WebhookUpdate = z.infer<typeof webhookUpdateSchema>;

const deliveryStatusSchema = z.enum(["pending", "delivered", "failed"]);

export const webhookDeliverySchema = z.object({
  id: z.string().describe("The `webhook-id` header, the same at every attempt"),
  webhookId: z.string(),
  event: z.string(),
  status: deliveryStatusSchema,
  createdAt: z.number(),
  attempts: z.number().int(),
  lastAt: z.number().nullable(),
  nextAt: z.number().nullable(),
  responseStatus: z.number().int().nullable().describe("Of the last attempt; null where there was no answer"),
  error: z.string().nullable(),
  body: z.string().describe("What is sent"),
});
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const webhookSchema = webhookInputSchema.extend({
  id: z.string(),
  url: z.string().describe("The origin of the address alone: the rest may let anyone send in its name"),
  createdAt: z.number(),
  updatedAt: z.number(),
  disabledReason: z.string().nullable().describe("Why Toolroom disabled it"),
  approverConfirmed: z
    .boolean()
    .describe("Whether the approver confirmed that links are sent to this address; without it there are none"),
  waiting: z.number().int().describe("Events that wait for the receiver and have no delivery so far"),
  lastDelivery: webhookDeliverySchema.omit({ body: true }).nullable(),
});
export type Webhook = z.infer<typeof webhookSchema>;

/** A webhook that brings approval links, as its approver sees it. */
export const webhookChannelSchema = z.object({
  id: z.string(),
  description: z.string(),
  receiver: z.string().describe("The origin of the webhook's address"),
  isConfirmed: z.boolean().describe("Links are sent only once the approver has confirmed this in the console"),
});
export type WebhookChannel = z.infer<typeof webhookChannelSchema>;

export const newWebhookSchema = webhookSchema.extend({
  secret: z.string().describe("Signs the deliveries, as Standard Webhooks says; shown only here"),
});
export type NewWebhook = z.infer<typeof newWebhookSchema>;

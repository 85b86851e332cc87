import type { TranscriptSettings } from "../../../lib/contract";
import type { SecretBox } from "../../features/servers/server-store";

/** `webhookUrl` names the host only where the whole address is sealed. */
type StoredSettings = Pick<TranscriptSettings, "webhookUrl"> & { sealedWebhookUrl?: string };

const contextOf = (id: string): string => `transcript:${id}:webhook`;

/** The settings as they are stored: the address of a webhook, which may hold a secret, encrypted. */
export function writeSettings(id: string, settings: TranscriptSettings, secretBox: SecretBox | undefined): string {
  const { webhookUrl } = settings;
  if (webhookUrl == null || secretBox === undefined) return JSON.stringify(settings);
  const stored: StoredSettings = {
    ...settings,
    webhookUrl: `${new URL(webhookUrl).origin}/…`,
    sealedWebhookUrl: secretBox.seal(webhookUrl, contextOf(id)),
  };
  return JSON.stringify(stored);
}

/** @throws Error where it cannot be decrypted */
export function readWebhookUrl(id: string, text: string, secretBox: SecretBox | undefined): string | null {
  const { webhookUrl, sealedWebhookUrl } = JSON.parse(text) as StoredSettings;
  if (sealedWebhookUrl === undefined || secretBox === undefined) return webhookUrl ?? null;
  return secretBox.open(sealedWebhookUrl, contextOf(id));
}

import { SecretText } from "@/app/_components/accounts/summary/secret-text";
import { Button } from "@/app/_ui/button";

/** A new token's text, as programs need it. Only in the browser, which knows the server's address. */
export function TokenSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <SecretText label="Token" text={secret} />
      <SecretText label="Header" text={`Authorization: Bearer ${secret}`} />
      <SecretText label="mcp.json" text={formatClientConfiguration(window.location.origin, secret)} />
      <Button size="md" variant="primary" onClick={onDone} className="self-end">
        Done
      </Button>
    </div>
  );
}

function formatClientConfiguration(origin: string, secret: string): string {
  const toolroom = { type: "http", url: `${origin}/mcp`, headers: { Authorization: `Bearer ${secret}` } };
  return JSON.stringify({ mcpServers: { toolroom } }, null, 2);
}

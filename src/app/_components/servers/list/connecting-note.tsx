import { ConnectingTime } from "@/app/_components/servers/summary/connecting-time";
import type { ServerSummary } from "@/lib/contract/server";
import { SERVER_KINDS } from "@/lib/contract/server-kind";
import { describeConnecting } from "@/lib/server-settings/describe-connecting";

/** What a server that has no tools yet does; its page has its output. */
export function ConnectingNote({ server: { transport, target, state } }: { server: ServerSummary }) {
  const isLocal = SERVER_KINDS[transport].target === "command";
  return (
    <p className="text-mute text-xs md:max-w-64">
      <span className="[overflow-wrap:anywhere]">{describeConnecting({ isLocal, target, isFirst: true })}</span>{" "}
      <ConnectingTime since={state.connectingSince} />
    </p>
  );
}

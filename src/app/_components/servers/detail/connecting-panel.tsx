import { useNow } from "@/app/_kit/use-now";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import type { ServerDetail } from "@/lib/contract/server";
import { SERVER_KINDS } from "@/lib/contract/server-kind";
import { formatDuration } from "@/lib/format";
import { describeConnecting } from "@/lib/server-settings/describe-connecting";
import { ConnectingTime } from "../summary/connecting-time";
import { toServerPath } from "../summary/server-words";
import { useServerLog } from "./log/use-server-log";

/** A server that has connected before usually reconnects within this time. */
const QUIET_MS = 3_000;
/** After this time the page shows the time limit of the attempt. */
const LONG_MS = 20_000;
const DEFAULT_LIMIT_MS = 60_000;
const MAX_LINE_CHARS = 400;

interface ConnectingPanelProps {
  server: ServerDetail;
  onLog: () => void;
}

/** What a server that connects does, its newest output, and the time that has passed: a first start may download for minutes. */
export function ConnectingPanel({ server, onLog }: ConnectingPanelProps) {
  const { name, state, listedAt, settings, target } = server;
  const since = state.connectingSince;
  const now = useNow(1_000);
  const output = useServerLog(name).filter(({ at, stream }) => stream !== "toolroom" && at >= (since ?? 0));
  const isFirst = listedAt === null;
  const passed = since === null || now === null ? 0 : now - since;
  if (!isFirst && passed < QUIET_MS) return null;
  const isLocal = SERVER_KINDS[server.transport].target === "command";
  const title = describeConnecting({ isLocal, target, isFirst, output: output.map(({ text }) => text) });
  const last = (output.at(-1)?.text.trim() ?? "").slice(0, MAX_LINE_CHARS);
  return (
    <section aria-label="State of the connection" data-status="connecting">
      <Alert
        tone="accent"
        title={
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span className="min-w-0 [overflow-wrap:anywhere]">{title}</span>
            <span className="font-normal text-mute text-xs">
              <ConnectingTime since={since} />
            </span>
          </span>
        }
      >
        {isLocal && (
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs">
            <span className="text-mute">{last === "" ? "No output yet." : "Last output"}</span>
            <bdi title={last} className="min-w-0 max-w-full flex-1 basis-40 truncate font-mono">
              {last}
            </bdi>
            <Button onClick={onLog}>Open its log</Button>
          </p>
        )}
        {passed >= LONG_MS && (
          <p className="text-mute text-xs">
            An attempt times out after {formatDuration(settings.connectTimeoutMs ?? DEFAULT_LIMIT_MS)} and is repeated.
            {server.editable && (
              <>
                {" "}
                <Link needs="edit" href={`${toServerPath(name)}/edit`} className="rounded-xs underline">
                  Set a longer connection timeout
                </Link>
              </>
            )}
          </p>
        )}
      </Alert>
    </section>
  );
}

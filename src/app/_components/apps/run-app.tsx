import { useQuery } from "@tanstack/react-query";
import { AppWindow } from "lucide-react";
import { use, useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { Skeleton } from "@/app/_ui/skeleton";
import { AppConversationContext } from "./app-conversation";
import { AppPanel } from "./app-panel";

interface RunAppProps {
  executionId: string;
  /** When the call ended, in epoch milliseconds. */
  endedAt: number | null;
}

/** The App of a call in a run. In the Playground, the App of a new call opens without a click; others open on request. */
export function RunApp({ executionId, endedAt }: RunAppProps) {
  const conversation = use(AppConversationContext);
  const denied = useDenial("run") !== null;
  const [opened, setOpened] = useState(() => !denied && conversation?.admit(executionId, endedAt) === true);
  const { data, error } = useQuery({ ...trpc.executions.get.queryOptions({ id: executionId }), enabled: opened });
  return (
    <div className="border-line border-t p-2.5">
      {!opened && (
        <Button icon={AppWindow} needs="run" onClick={() => setOpened(true)}>
          Open App
        </Button>
      )}
      {opened && error !== null && <p className="text-warn text-xs">Couldn't load the execution: {error.message}</p>}
      {opened && error === null && data === undefined && <Skeleton className="h-40" />}
      {opened && data !== undefined && <AppPanel execution={data} autoOpen />}
    </div>
  );
}

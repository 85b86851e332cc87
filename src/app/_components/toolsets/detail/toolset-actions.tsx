"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plug, Trash2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button, buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { useToast } from "@/app/_ui/toast";
import type { Toolset } from "@/lib/contract/toolset";

const ConnectDialog = dynamic(
  () => import("@/app/_components/servers/connect/connect-dialog").then((module) => module.ConnectDialog),
  { ssr: false },
);
const ConfirmDialog = dynamic(() => import("@/app/_kit/confirm-dialog").then((module) => module.ConfirmDialog), {
  ssr: false,
});

/** The actions on a toolset as it is saved. */
export function ToolsetActions({ name, lastEdit }: Pick<Toolset, "name" | "lastEdit">) {
  const [dialog, setDialog] = useState<"connect" | "delete" | null>(null);
  const close = (): void => setDialog(null);
  return (
    <>
      <Link needs="run" href={`/playground?set=${encodeURIComponent(name)}`} className={buttonClass()}>
        Playground
      </Link>
      <Link href={`/executions?toolset=${encodeURIComponent(name)}`} className={buttonClass()}>
        Executions
      </Link>
      <Button onClick={() => setDialog("connect")}>
        <Plug aria-hidden size={15} strokeWidth={1.6} />
        Connect a client
      </Button>
      <Button needs="edit" onClick={() => setDialog("delete")}>
        <Trash2 aria-hidden size={15} strokeWidth={1.6} />
        Delete
      </Button>
      {dialog === "connect" && <ConnectDialog toolset={name} onClose={close} />}
      {dialog === "delete" && <DeleteDialog name={name} revision={lastEdit?.revision} onClose={close} />}
    </>
  );
}

interface DeleteDialogProps {
  name: string;
  revision: number | undefined;
  onClose: () => void;
}

function DeleteDialog({ name, revision, onClose }: DeleteDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const toast = useToast();
  const remove = useMutation(
    trpc.toolsets.delete.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries({ queryKey: trpc.toolsets.list.queryKey() });
        toast({ title: `${name} deleted`, tone: "ok" });
        router.push("/toolsets");
      },
      onError: () => void queryClient.invalidateQueries({ queryKey: trpc.toolsets.get.queryKey({ name }) }),
    }),
  );
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      description="Clients that use its address lose their tools. The tools themselves and recorded executions are kept."
      action="Delete"
      running="Deleting…"
      needs="edit"
      isPending={remove.isPending || remove.isSuccess}
      failure="Couldn't delete"
      error={remove.error}
      onConfirm={() => remove.mutate({ name, revision })}
      onClose={onClose}
    />
  );
}

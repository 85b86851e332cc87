"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { ToolsetActions } from "@/app/_components/toolsets/detail/toolset-actions";
import { readInput } from "@/app/_kit/form/draft-input";
import { useDraft } from "@/app/_kit/use-draft";
import { useTRPC } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/page-header";
import { permissionForToolset } from "@/lib/contract/access";
import { TOOLSET_FORM } from "./toolset-fields";
import { ToolsetForm } from "./toolset-form";

export function NewToolsetView() {
  const held = useDraft(() => readInput(TOOLSET_FORM), { keptAs: "toolset.form" });
  return (
    <div className="flex h-full flex-col">
      <PageHeader title="New toolset" />
      <ToolsetForm held={held} editing={null} />
    </div>
  );
}

export function EditToolsetView({ name }: { name: string }) {
  const trpc = useTRPC();
  const { data: toolset } = useSuspenseQuery(trpc.toolsets.get.queryOptions({ name }));
  const held = useDraft(() => readInput(TOOLSET_FORM, toolset), {
    keptAs: `toolset.form.edit.${name}`,
    base: String(toolset.lastEdit?.revision ?? ""),
  });
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={toolset.title || toolset.name}
        actions={<ToolsetActions name={toolset.name} lastEdit={toolset.lastEdit} />}
      />
      <ToolsetForm
        held={held}
        editing={name}
        lastEdit={toolset.lastEdit}
        relaxed={permissionForToolset(toolset) === "administer"}
      />
    </div>
  );
}

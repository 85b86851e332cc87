import { useQueryClient } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, useState } from "react";
import { toPrefixedName, toServerPath } from "@/app/_components/servers/summary/server-words";
import { useRefreshServers } from "@/app/_components/servers/summary/use-live-servers";
import { useSettingsCheck } from "@/app/_components/servers/summary/use-settings-check";
import { CheckPanel } from "@/app/_kit/check-panel";
import { writeInput } from "@/app/_kit/form/draft-input";
import { Field } from "@/app/_kit/form/field";
import { FormPage } from "@/app/_kit/form/form-page";
import { useForm } from "@/app/_kit/form/use-form";
import type { DraftState } from "@/app/_kit/use-draft";
import { type EditedThing, type Save, toEdited, useSave } from "@/app/_kit/use-save";
import { client, trpc } from "@/app/_trpc/client";
import { onDemand } from "@/app/_ui/on-demand";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ServerDetail, ServerSettingsInput, ServerTransport } from "@/lib/contract/server";
import { permissionForServer } from "@/lib/contract/server-kind";
import { AdvancedFields, type KindFieldsProps } from "./advanced-fields";
import { CommandFields } from "./command-fields";
import { CredentialFields } from "./credential-fields";
import { toChecked } from "./openapi-document";
import { RemoteFields } from "./remote-fields";
import { hasAdvanced, isAdvanced, SERVER_FORM, type ServerDraft } from "./server-fields";

const OpenApiFields = onDemand(() => import("./openapi-fields"), "OpenApiFields", {
  fallback: <Skeleton className="h-60" />,
  onServer: true,
});

/** The fields that only some kinds have. */
const KIND_FIELDS = {
  stdio: CommandFields,
  http: RemoteFields,
  sse: RemoteFields,
  openapi: OpenApiFields,
} satisfies Record<ServerTransport, ComponentType<KindFieldsProps>>;

interface ServerFormProps {
  held: DraftState<ServerDraft>;
  /** Whether there are unsaved changes. */
  dirty: boolean;
  /** The name of the server that is changed; null for a new one. */
  editing: string | null;
  /** The server's stored settings; changing them may take more permission than the draft. */
  stored?: Pick<ServerDetail, "settings" | "lastEdit">;
  /** False: a new server is added switched off. */
  enabled?: boolean;
  /** Content above the fields. */
  intro?: ReactNode;
}

/** The form for the connection of one server. The server's check decides; entered values stay whatever its result. */
export function ServerForm({ held, dirty, editing, stored, enabled = true, intro }: ServerFormProps) {
  const { draft } = held;
  const settings = writeInput(SERVER_FORM, draft);
  const isForAdmins = [settings, stored?.settings ?? settings].some(
    (each) => permissionForServer(each) === "administer",
  );
  const check = useSettingsCheck(toChecked(settings), editing);
  const saving = useSaveServer(toEdited(editing, held.base), enabled, () => held.settle(draft));
  const form = useForm(SERVER_FORM, { held, saving, verdict: check, dirty });
  const [advancedAtFirst] = useState(() => hasAdvanced(draft));
  const advancedOpen = advancedAtFirst || (form.attempted && check.problems.some(({ path }) => isAdvanced(path)));
  const KindFields = KIND_FIELDS[draft.transport];
  return (
    <FormPage
      form={form}
      label={editing === null ? "New server" : `Edit ${editing}`}
      needs={isForAdmins ? "administer" : "edit"}
      submitLabel={editing !== null ? "Save and reconnect" : enabled ? "Add and connect" : "Add disabled"}
      cancelPath={editing === null ? "/servers" : toServerPath(editing)}
      subject="server"
      lastEdit={stored?.lastEdit}
      check={
        <CheckPanel
          {...check}
          subject="settings"
          problems={form.attempted ? check.problems : []}
          total={check.problems.length}
          untouched={!form.attempted}
          onGoTo={form.goTo}
        >
          <CheckNotes notes={check.notes} />
        </CheckPanel>
      }
    >
      {intro}
      <NameFields form={form} editing={editing} />
      <Field form={form} at="transport" />
      <KindFields form={form} editing={editing} />
      <CredentialFields form={form} />
      <AdvancedFields form={form} open={advancedOpen} />
    </FormPage>
  );
}

/** Adds a server, or changes the one that is edited, then opens its page. @param enabled of a new server */
function useSaveServer(editing: EditedThing | null, enabled: boolean, onSaved: () => void): Save<ServerSettingsInput> {
  const queryClient = useQueryClient();
  const refresh = useRefreshServers();
  return useSave({
    send: (settings: ServerSettingsInput) =>
      editing === null
        ? client.servers.create.mutate(enabled ? { settings } : { settings, enabled })
        : client.servers.update.mutate({ ...editing, settings }),
    onSaved: (server) => {
      onSaved();
      queryClient.setQueryData(trpc.servers.get.queryKey({ name: server.name }), server);
      void refresh();
    },
    onConflict: () => void refresh(),
    toast: ({ name }) => (editing === null ? `${name} added` : `${name} saved`),
    openPath: ({ name }) => toServerPath(name),
  });
}

function CheckNotes({ notes }: { notes: readonly string[] }) {
  return (
    <>
      {notes.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium text-mute text-xs">Warnings</h3>
          <ul className="flex list-disc flex-col gap-1 pl-4 text-mute">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="border-line border-t pt-3 text-mute text-xs">
        <code className="font-mono">$&#123;VAR&#125;</code> and{" "}
        <code className="font-mono">$&#123;VAR:-default&#125;</code> in command, arguments, environment, address and
        headers are filled in from the environment of the Toolroom server each time it connects.
      </p>
    </>
  );
}

function NameFields({ form, editing }: KindFieldsProps) {
  const name = form.draft.name.trim();
  const renamed = editing !== null && name !== "" && name !== editing;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div className="min-w-0">
        <Field
          form={form}
          at="name"
          hint={
            <>
              The prefix of its tools: <code className="font-mono">read_file</code> is called{" "}
              <code className="font-mono text-text [overflow-wrap:anywhere]">
                {toPrefixedName(name || "files", "read_file")}
              </code>
            </>
          }
        />
        {renamed && (
          <p role="status" className="mt-1 text-warn text-xs [overflow-wrap:anywhere]">
            Every tool is then called by the new prefix: calls of {toPrefixedName(editing, "…")} will find nothing.
          </p>
        )}
      </div>
      <Field form={form} at="title" />
    </div>
  );
}

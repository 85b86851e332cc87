import { useQuery } from "@tanstack/react-query";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { Field } from "@/app/_kit/form/field";
import { type ControlProps, custom, defineForm, flag, select } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import { Input } from "@/app/_ui/field";
import { ROLES, type Role } from "@/lib/contract/access";
import type { RegistrySettings, RegistryState } from "@/lib/contract/registry";

type Published = RegistrySettings["published"];

const REGISTRY_FORM = defineForm<RegistrySettings>()({
  access: select<RegistrySettings["access"]>("Who may read it", "members", {
    off: "Off",
    members: "Members, with a token",
    public: "Everyone who reaches the address",
  }),
  leastRole: select<Role>(
    "Least role",
    "viewer",
    ROLES.map((role) => ({ value: role, label: role })),
  ),
  catalog: flag("The whole catalog (/mcp)", { empty: true }),
  toolsets: flag("Each toolset (/mcp/sets/…)", { empty: true }),
  servers: flag("Each server, through Toolroom (/mcp/…)"),
  skills: flag("Names and descriptions of skills, with the entry that serves them", {
    empty: true,
    hint: "Readers of a public registry without an account do not get them.",
  }),
  published: custom<Published>("Servers that clients use without Toolroom", [], {
    hint: "Their package or address is published; secrets are not. Calls do not appear in Toolroom. The name is the one that allow-lists compare, such as io.github.owner/name.",
    render: (props) => <PublishedServers {...props} />,
  }),
});

interface RegistryDialogProps {
  origin: string;
  state: RegistryState;
  onClose: () => void;
}

/** The access setting and the entries of the registry. */
export function RegistryDialog({ origin, state: { settings, revision }, onClose }: RegistryDialogProps) {
  return (
    <EditDialog
      needs="administer"
      title="Team registry"
      table={REGISTRY_FORM}
      initial={settings}
      root="settings"
      save={(changed) => client.registry.save.mutate({ origin, settings: changed, revision })}
      stale={[trpc.registry.get.queryKey({ origin })]}
      done="Registry saved"
      onClose={onClose}
    >
      {(form) => (
        <>
          <Field form={form} at="access" />
          {form.draft.access === "members" && <Field form={form} at="leastRole" />}
          <fieldset className="flex flex-col gap-1">
            <legend className="mb-1 font-medium">Entries</legend>
            <Field form={form} at="catalog" />
            <Field form={form} at="toolsets" />
            <Field form={form} at="servers" />
            <Field form={form} at="skills" />
          </fieldset>
          <Field form={form} at="published" />
        </>
      )}
    </EditDialog>
  );
}

function PublishedServers({ look, value, onChange }: ControlProps<Published>) {
  const servers = useQuery(trpc.servers.names.queryOptions()).data;
  const publish = (server: string, publishedAs: string | null): void => {
    const others = value.filter((each) => each.server !== server);
    const own = publishedAs ? { server, publishedAs } : { server };
    onChange(publishedAs === null ? others : [...others, own]);
  };
  return (
    <fieldset>
      <legend className="font-medium">{look.label}</legend>
      <p className="mb-1 text-mute text-xs">{look.hint}</p>
      {servers?.map((name) => {
        const chosen = value.find(({ server }) => server === name);
        return (
          <div key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-0.5">
            <label className="-ml-1 flex items-center gap-1.5">
              <Checkbox checked={chosen !== undefined} onChange={(isOn) => publish(name, isOn ? "" : null)} />
              <span className="font-mono text-xs">{name}</span>
            </label>
            {chosen !== undefined && (
              <Input
                aria-label={`Name of ${name} in registries`}
                placeholder="Name (optional)"
                className="min-w-40 flex-1 font-mono"
                value={chosen.publishedAs ?? ""}
                onChange={({ target }) => publish(name, target.value.trim())}
              />
            )}
          </div>
        );
      })}
      {servers?.length === 0 && <p className="text-mute text-xs">No servers yet.</p>}
    </fieldset>
  );
}

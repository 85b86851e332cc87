"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import { Input, NativeSelect } from "@/app/_ui/field";
import { ROLES, type Role } from "@/lib/contract/access";
import type { RegistrySettings, RegistryState } from "@/lib/contract/registry";

interface RegistryDialogProps {
  origin: string;
  state: RegistryState;
  onClose: () => void;
}

const CONTENTS = [
  ["catalog", "The whole catalog (/mcp)"],
  ["toolsets", "Each toolset (/mcp/sets/…)"],
  ["servers", "Each server, through Toolroom (/mcp/…)"],
] as const;

/** The access setting and the entries of the registry. */
export function RegistryDialog({ origin, state, onClose }: RegistryDialogProps) {
  const trpc = useTRPC();
  const id = useId();
  const [settings, setSettings] = useState<RegistrySettings>(state.settings);
  const servers = useQuery(trpc.servers.list.queryOptions());
  const saving = useAction(trpc.registry.save.mutationOptions(), {
    stale: [trpc.registry.get.queryKey({ origin })],
    done: () => "Registry saved",
    onDone: onClose,
  });
  const set = (part: Partial<RegistrySettings>): void => setSettings({ ...settings, ...part });
  const setPublished = (server: string, publishedAs: string | null): void => {
    const others = settings.published.filter((each) => each.server !== server);
    const own = publishedAs ? { server, publishedAs } : { server };
    set({ published: publishedAs === null ? others : [...others, own] });
  };
  return (
    <FormDialog
      needs="administer"
      title="Team registry"
      action={saving}
      onSubmit={() => saving.mutate({ origin, settings, revision: state.revision })}
      onClose={onClose}
    >
      <div>
        <label htmlFor={`${id}-access`} className="mb-1 block font-medium">
          Who may read it
        </label>
        <NativeSelect
          id={`${id}-access`}
          value={settings.access}
          onChange={({ target }) => set({ access: target.value as RegistrySettings["access"] })}
        >
          <option value="off">Off</option>
          <option value="members">Members, with a token</option>
          <option value="public">Everyone who reaches the address</option>
        </NativeSelect>
      </div>
      {settings.access === "members" && (
        <div>
          <label htmlFor={`${id}-role`} className="mb-1 block font-medium">
            Least role
          </label>
          <NativeSelect
            id={`${id}-role`}
            value={settings.leastRole}
            onChange={({ target }) => set({ leastRole: target.value as Role })}
          >
            {ROLES.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </NativeSelect>
        </div>
      )}
      <fieldset>
        <legend className="mb-1 font-medium">Entries</legend>
        {CONTENTS.map(([key, label]) => (
          <label key={key} className="flex items-center gap-1.5 py-0.5">
            <Checkbox checked={settings[key]} onChange={(isOn) => set({ [key]: isOn })} />
            {label}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend className="font-medium">Servers that clients use without Toolroom</legend>
        <p className="mb-1 text-mute text-xs">
          Their package or address is published; secrets are not. Calls do not appear in Toolroom. The name is the one
          that allow-lists compare, such as io.github.owner/name.
        </p>
        {servers.data?.items.map(({ name }) => {
          const chosen = settings.published.find(({ server }) => server === name);
          return (
            <div key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-0.5">
              <label className="flex items-center gap-1.5">
                <Checkbox checked={chosen !== undefined} onChange={(isOn) => setPublished(name, isOn ? "" : null)} />
                <span className="font-mono text-xs">{name}</span>
              </label>
              {chosen !== undefined && (
                <Input
                  aria-label={`Name of ${name} in registries`}
                  placeholder="Name (optional)"
                  className="min-w-40 flex-1 font-mono"
                  value={chosen.publishedAs ?? ""}
                  onChange={({ target }) => setPublished(name, target.value.trim())}
                />
              )}
            </div>
          );
        })}
        {servers.data?.items.length === 0 && <p className="text-mute text-xs">No servers yet.</p>}
      </fieldset>
    </FormDialog>
  );
}

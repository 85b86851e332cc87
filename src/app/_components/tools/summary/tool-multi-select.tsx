import { useState } from "react";
import { MultiSelect } from "@/app/_kit/multi-select";
import { useToolSearch } from "./use-suggested-tools";

/** Tools in the box: the server finds the others by their names. */
const SHOWN = 50;

interface ToolMultiSelectProps {
  label: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
}

/** Any tools of the catalog, which may have thousands. Chosen ones stand first, also those that have left it. */
export function ToolMultiSelect({ label, value, onChange }: ToolMultiSelectProps) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const { tools, isBusy } = useToolSearch(typed, { enabled: isOpen, limit: SHOWN });
  const isSearched = typed.trim() !== "";
  const names = [...new Set([...(isSearched ? [] : value), ...tools.map(({ name }) => name)])];
  return (
    <MultiSelect
      label={label}
      options={names.map((name) => ({ value: name, label: name, mono: true }))}
      value={value}
      onChange={onChange}
      search={{ onType: setTyped, isBusy, hasMore: tools.length === SHOWN }}
      onOpenChange={(open) => {
        setOpen(open);
        if (open) setTyped("");
      }}
    />
  );
}

import { Search } from "lucide-react";
import type { RefObject } from "react";
import { Input } from "@/app/_ui/field";

export interface ListSearchProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  /** For the key `/`: see `useListKeys`. */
  searchRef: RefObject<HTMLInputElement | null>;
}

/** The search field of a list. */
export function ListSearch({ label, placeholder, value, onChange, searchRef }: ListSearchProps) {
  return (
    <div className="relative min-w-50 flex-1 sm:max-w-80">
      <Search aria-hidden size={15} strokeWidth={1.6} className="absolute top-2 left-2.5 text-faint" />
      <Input
        ref={searchRef}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="pl-8"
      />
    </div>
  );
}

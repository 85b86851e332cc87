import { Search } from "lucide-react";
import { type RefObject, useId } from "react";
import { Input } from "@/app/_ui/field";

export interface ListSearchProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  /** For the key `/`: see `useListKeys`. */
  searchRef: RefObject<HTMLInputElement | null>;
  onEnter?: () => void;
  /** The reason why the text cannot be searched for; false where any text can. */
  hint?: string | false;
}

const MAX_CHARS = 200;

export function ListSearch(props: ListSearchProps) {
  const { label, placeholder, value, onChange, searchRef, onEnter, hint = false } = props;
  const id = useId();
  return (
    <div className="relative min-w-50 flex-1 sm:max-w-80">
      <Search size={15} className="absolute top-2 left-2.5 text-faint max-sm:top-3" />
      <Input
        ref={searchRef}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        aria-describedby={hint === false ? undefined : id}
        placeholder={placeholder}
        value={value}
        maxLength={MAX_CHARS}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onEnter?.();
          // Clears the field, then leaves it.
          if (event.key !== "Escape") return;
          event.preventDefault();
          if (value === "") event.currentTarget.blur();
          else onChange("");
        }}
        className="pl-8"
      />
      {hint !== false && (
        <p id={id} className="text-mute text-xs empty:hidden">
          {hint}
        </p>
      )}
    </div>
  );
}

import { NativeSelect } from "@/app/_ui/field";

interface FilterSelectProps<T extends string> {
  label: string;
  /** The option for no filter; `Label: any` where absent. */
  any?: string;
  value: T | null;
  options: readonly T[];
  /** The text of an option; the option itself where absent. */
  readText?: (option: T) => string;
  onChange: (value: T | null) => void;
  className?: string;
}

/** One value of a list's filter, or none. */
export function FilterSelect<T extends string>(props: FilterSelectProps<T>) {
  const { label, any = `${label}: any`, value, options, readText: formatOption = String, onChange, className } = props;
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ""}
      onChange={({ target }) => onChange(options.find((option) => option === target.value) ?? null)}
      className={className}
      options={options.map((option) => [option, formatOption(option)])}
    >
      <option value="">{any}</option>
    </NativeSelect>
  );
}

import { MenuOnDemand } from "@/app/_ui/menu";
import { lazyPart } from "@/app/_ui/on-demand";
import { MultiSelectButton, type MultiSelectProps } from "./multi-select-button";

const load = () => import("./option-list");
const MultiSelectView = lazyPart(load, "MultiSelectView");

/** Any of several, or one at most; none chosen means all. Only a button until it is pressed. */
export function MultiSelect<T extends string>({
  onChange,
  single,
  search,
  onOpenChange,
  ...button
}: MultiSelectProps<T>) {
  return (
    <MenuOnDemand trigger={<MultiSelectButton {...button} />} load={load} opens="dialog">
      <MultiSelectView
        {...button}
        single={single}
        search={search}
        onOpenChange={onOpenChange}
        // The view returns values of the options that it received.
        onChange={(chosen) => onChange(chosen as T[])}
      />
    </MenuOnDemand>
  );
}

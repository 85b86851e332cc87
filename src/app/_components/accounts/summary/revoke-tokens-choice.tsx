import { Checkbox } from "@/app/_ui/checkbox";
import { formatPlural } from "@/lib/format";

interface RevokeTokensChoiceProps {
  count: number;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** The choice beside a new password: which API tokens stay valid. */
export function RevokeTokensChoice({ count, checked, onChange }: RevokeTokensChoiceProps) {
  return (
    <div>
      <label className="-ml-1 flex cursor-pointer items-center gap-1.5">
        <Checkbox checked={checked} onChange={onChange} />
        Also revoke your {formatPlural(count, "API token")}
      </label>
      <p className="text-mute text-xs">API tokens keep working with a new password unless you revoke them.</p>
    </div>
  );
}

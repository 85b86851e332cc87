import { toAddress } from "@/lib/base-path";
import { usePreferences } from "./preferences-provider";

interface OwnIconProps {
  of: "tool" | "server";
  name: string;
  /** The key of its icons; absent where it has none. */
  icon: string | undefined;
}

/**
 * The icon that an MCP server declares for itself or a tool, loaded from this Toolroom's address; renders nothing
 * without one.
 */
export function OwnIcon({ of, name, icon }: OwnIconProps) {
  const { theme } = usePreferences().preferences;
  if (icon === undefined) return null;
  const toSource = (shown: "light" | "dark"): string =>
    toAddress(`/api/icons?${new URLSearchParams({ [of]: name, theme: shown, v: icon })}`);
  return (
    <picture className="size-4 shrink-0 overflow-hidden rounded-xs">
      {theme === "system" && <source media="(prefers-color-scheme: dark)" srcSet={toSource("dark")} />}
      {/* The text is empty, since the name is beside the icon: an icon that cannot be shown leaves no trace. */}
      <img
        src={toSource(theme === "dark" ? "dark" : "light")}
        alt=""
        width={16}
        height={16}
        loading="lazy"
        decoding="async"
        className="size-4 object-contain"
      />
    </picture>
  );
}

import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import type { Permission } from "@/lib/contract/access";
import { Guard } from "./access";
import { cx } from "./class-names";
import { Link, type LinkProps } from "./link";

type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
type ButtonSize = "sm" | "md";

const VARIANT: Record<ButtonVariant, string> = {
  primary: "border-text bg-text text-bg hover:opacity-90",
  secondary: "border-line2 bg-panel text-text hover:bg-rail",
  ghost: "border-transparent bg-transparent text-mute hover:bg-rail hover:text-text",
  danger: "border-bad bg-panel text-bad hover:bg-bad-bg",
};

const SIZE: Record<ButtonSize, string> = {
  sm: "h-6.5 px-2.5 text-xs max-sm:h-10",
  md: "h-8 px-3 text-sm max-sm:h-10",
};

/** The look of a button, for links and others that look like one. */
export function buttonClass({
  variant = "secondary",
  size = "sm",
}: {
  variant?: ButtonVariant;
  size?: ButtonSize;
} = {}) {
  return cx(
    "inline-flex shrink-0 items-center justify-center gap-1.5 whitespace-nowrap max-sm:min-w-10 rounded-md border font-medium transition-colors duration-100",
    "disabled:cursor-not-allowed disabled:opacity-45 aria-disabled:cursor-not-allowed aria-disabled:opacity-45",
    VARIANT[variant],
    SIZE[size],
  );
}

export interface ButtonProps extends ComponentProps<"button"> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** The icon before the text. */
  icon?: LucideIcon;
  /** The permission that the button needs; without it the button is disabled and names the role that has it. */
  needs?: Permission;
}

/** `type` defaults to `button`, so that a button submits a form only where it says so. */
export function Button({ variant, size, icon: Icon, className, type = "button", needs, ...props }: ButtonProps) {
  const { children, ...native } = props;
  const button = (
    <button data-variant={variant} {...native} type={type} className={cx(buttonClass({ variant, size }), className)}>
      {Icon && <Icon size={size === "md" ? 15 : 13} />}
      {children}
    </button>
  );
  return needs === undefined ? button : <Guard needs={needs}>{button}</Guard>;
}

type ButtonLinkProps = LinkProps & Pick<ButtonProps, "variant" | "size" | "icon">;

/** A link with the look of a button. */
export function ButtonLink({ variant, size, icon: Icon, className, children, ...link }: ButtonLinkProps) {
  return (
    <Link data-variant={variant} {...link} className={cx(buttonClass({ variant, size }), className)}>
      {Icon && <Icon size={size === "md" ? 15 : 13} />}
      {children}
    </Link>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label"> {
  /** The action: accessible name and tooltip. */
  label: string;
  /** The icon of the button, instead of children. */
  icon?: LucideIcon;
  /** The permission that the button needs; without it the button is disabled and names the role that has it. */
  needs?: Permission;
}

export function IconButton({ label, icon: Icon, className, type = "button", title, needs, ...props }: IconButtonProps) {
  const { children, ...native } = props;
  const button = (
    <button
      {...native}
      type={type}
      aria-label={label}
      title={title ?? label}
      className={cx(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-mute transition-colors duration-100 max-sm:size-10",
        "hover:bg-line hover:text-text disabled:cursor-not-allowed disabled:opacity-45 aria-pressed:text-accent",
        "aria-disabled:cursor-not-allowed aria-disabled:opacity-45",
        className,
      )}
    >
      {Icon ? <Icon size={15} /> : children}
    </button>
  );
  return needs === undefined ? button : <Guard needs={needs}>{button}</Guard>;
}

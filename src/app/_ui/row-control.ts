/**
 * A control of a row in a `group/row`: seen while the row is pointed at or has the focus, while it is pressed or open, and always
 * where nothing hovers or the window is narrow. Transparent, not hidden, so that the keyboard reaches it.
 */
export const ROW_CONTROL =
  "opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 aria-expanded:opacity-100 aria-pressed:opacity-100 max-sm:opacity-100 [@media(hover:none)]:opacity-100";

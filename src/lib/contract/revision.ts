/** The field of the problem that names another edit. In a file of its own, which brings no zod into the browser. */
export const REVISION = "revision";

/** The only variables of Toolroom's own environment that server processes inherit. */
const INHERITED = new Set(
  (
    "PATH HOME LANG LANGUAGE TZ TMPDIR TMP TEMP USER LOGNAME SHELL TERM XDG_RUNTIME_DIR " +
    // Windows
    "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 SYSTEMDRIVE SYSTEMROOT USERNAME USERPROFILE WINDIR"
  ).split(" "),
);

/** The environment of a server's process: inherited variables and those of its settings. */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    const upper = name.toUpperCase();
    // Such a value is an exported shell function, which a shell would run.
    if (value === undefined || value.startsWith("()")) continue;
    if (INHERITED.has(upper) || upper.startsWith("LC_")) environment[name] = value;
  }
  return { ...environment, ...configured };
}

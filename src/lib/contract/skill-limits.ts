/** Bounds of a skill of the team. The extension allows 512 files and 16 MiB; the body of a request may have 8 MiB, in base64. */
export const MAX_SKILL_FILES = 200;
export const MAX_SKILL_FILE_BYTES = 2_097_152;
export const MAX_SKILL_BYTES = 4_194_304;
export const MAX_SKILL_PATH_CHARS = 200;
/** Beside the files, an archive has a header and a name for each. */
export const MAX_SKILL_ARCHIVE_BYTES = MAX_SKILL_BYTES + 1_048_576;
/** Versions of a skill that are kept; older ones are deleted with the bytes that no other version has. */
export const MAX_SKILL_VERSIONS = 100;

/** Bounds of what is stored of a server whose skills are reviewed; what exceeds them is withheld from clients. */
export const MAX_REVIEWED_SKILLS = 100;
export const MAX_REVIEWED_ENTRY_CHARS = 65_536;
/** The files of approved and waiting versions of one server together. */
export const MAX_REVIEWED_BYTES = 67_108_864;

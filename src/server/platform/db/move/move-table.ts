import { DatabaseOpenError } from "../database-file";

/** Holds how far a move into this database came: it is there until the move has ended. */
export const MOVE_TABLE = "_toolroom_move";

/** The code of errors that name something which the user has to change first. */
const MOVE_REFUSED = "MOVE_REFUSED";

export function refuseMove(message: string): DatabaseOpenError {
  return Object.assign(new DatabaseOpenError(message), { code: MOVE_REFUSED });
}

/** A server with a part of the data would answer as if the rest did not exist. */
export function toUnfinishedMoveError(location: string): DatabaseOpenError {
  return new DatabaseOpenError(
    `The database ${location} holds a part of another one, whose move has not ended. Run the same \`toolroom migrate --to\` again, which continues it, ` +
      "or name another database in DATABASE_URL.",
  );
}

-- The processes that work with this database, what they tell each other, and what one of them does at a time. SQLite has one process.
CREATE TABLE "Copy" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "address" TEXT COLLATE "C",
    "version" TEXT COLLATE "C" NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "isDraining" BOOLEAN NOT NULL DEFAULT false,
    -- Grows with each sign of life.
    "beats" BIGINT NOT NULL DEFAULT 0,
    "renewedAt" TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    -- Null while it lives.
    "endedAt" TIMESTAMPTZ,

    CONSTRAINT "Copy_pkey" PRIMARY KEY ("id")
);

-- Each copy numbers its own batches and writes one after the other, so that a reader's place is one number for each copy.
CREATE TABLE "Bulletin" (
    "copyId" TEXT COLLATE "C" NOT NULL,
    "number" BIGINT NOT NULL,
    "at" TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    "posts" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "Bulletin_pkey" PRIMARY KEY ("copyId", "number"),
    CONSTRAINT "Bulletin_copyId_fkey" FOREIGN KEY ("copyId") REFERENCES "Copy" ("id") ON DELETE CASCADE
);

CREATE SEQUENCE "Lease_fence";

CREATE TABLE "Lease" (
    "key" TEXT COLLATE "C" NOT NULL,
    "copyId" TEXT COLLATE "C" NOT NULL,
    "fence" BIGINT NOT NULL DEFAULT nextval('"Lease_fence"'),

    CONSTRAINT "Lease_pkey" PRIMARY KEY ("key")
);

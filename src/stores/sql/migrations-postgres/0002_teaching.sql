CREATE TABLE "kept_states" (
  "job" text COLLATE "C" PRIMARY KEY REFERENCES "jobs" ("id") ON DELETE CASCADE,
  "state" bytea NOT NULL
);

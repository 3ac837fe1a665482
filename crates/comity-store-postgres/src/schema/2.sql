-- The notes of watchers. The key is the SHA-256 of the name, which may be too long for an index.
create table comity.note (
    key bytea primary key,
    note text not null
);

-- The entries of watchers. The numbers are in the order of commits.
create table comity.entry (
    number bigint primary key,
    id text not null unique,
    -- Milliseconds since 1970, by the client's clock.
    at bigint not null,
    entry text not null
);

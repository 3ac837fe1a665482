-- The bytes of robots.txt files, each content once.
create table comity.body (
    hash bytea primary key,
    content bytea not null
);

-- The record of each origin, and its lease. The key is the SHA-256 of the origin's text, which may be too long for an index.
create table comity.origin (
    key bytea primary key,
    origin text not null,
    -- null: there is only a lease. Not jsonb, which refuses some texts that servers send.
    record json,
    -- The body of the record's copy.
    hash bytea references comity.body,
    -- The end of the last attempt, in milliseconds since 1970, by the client's clock.
    ended bigint,
    revision bigint not null default 0,
    -- The record is fresh between these times of the database's clock.
    saved timestamptz,
    due timestamptz,
    ticket bytea,
    lease_until timestamptz
);
create index origin_text on comity.origin (left(origin, 512) collate "C") where record is not null;
create index origin_hash on comity.origin (hash);

-- The history of each origin; the largest number is the newest version.
create table comity.version (
    key bytea references comity.origin on delete cascade,
    number bigint,
    version json not null,
    hash bytea references comity.body,
    primary key (key, number)
);
create index version_hash on comity.version (hash);

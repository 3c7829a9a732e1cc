/** Browser sessions, and the issuers' tokens that are accepted once. */
export const SESSIONS = `
  -- The tokens are sealed with the cookie's secret, of which only the SHA-256 is stored.
  create table sessions (
    token_sha256 bytea primary key,
    -- Names the session to its owner; the hash of the cookie's secret is never shown.
    id uuid not null default gen_random_uuid(),
    subject text not null,
    sealed bytea not null,
    -- Null: the issuer gave no refresh token, and the session ends with its access token.
    sealed_refresh_token bytea,
    -- From then on a request refreshes the access token. The one that does moves it ahead, so that no other does too.
    refresh_at timestamptz(3),
    -- As the browser named them; null: nothing that is known.
    browser text,
    operating_system text,
    -- The session and the person at the issuer, as the ID token names them, for back-channel logout.
    issuer_session_id text,
    issuer_subject text,
    created_at timestamptz(3) not null default now(),
    last_used_at timestamptz(3) not null default now(),
    -- Moves towards ends_at with each use.
    expires_at timestamptz(3) not null,
    -- The session ends then, however much it is used.
    ends_at timestamptz(3) not null
  );
  create index sessions_expiry on sessions (expires_at);
  create index sessions_subject on sessions (subject);
  create index sessions_issuer_session on sessions (issuer_session_id) where issuer_session_id is not null;
  create index sessions_issuer_subject on sessions (issuer_subject) where issuer_subject is not null;

  -- Tokens of issuers that were used. The primary key decides which of two equal exchanges wins.
  create table used_token_ids (
    issuer text not null,
    jti text not null,
    -- Of a logout token: what it ended, and when. Without a session it ended all of the person until then.
    issuer_session_id text,
    issuer_subject text,
    issued_at timestamptz(3),
    expires_at timestamptz(3) not null,
    primary key (issuer, jti)
  );
  create index used_token_ids_expiry on used_token_ids (expires_at);
`;

import { useState } from "react";
import type { AuthUser } from "~/features/accounts/viewer";

/** The account's picture, or the first letter of its email while there is no picture. */
export function Avatar({ user }: { user: AuthUser }) {
  const [failed, setFailed] = useState(false);
  const picture = user.user_metadata.avatar_url;
  return (
    <span className="avatar" aria-hidden="true">
      {user.email.charAt(0).toUpperCase()}
      {picture && !failed && (
        <img
          src={picture}
          alt=""
          width={40}
          height={40}
          className="absolute inset-0 size-full object-cover"
          onError={() => setFailed(true)}
        />
      )}
    </span>
  );
}

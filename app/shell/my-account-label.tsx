/** The first item of each menu: the account's address. */
export function MyAccountLabel({ email }: { email: string }) {
  return (
    <span>
      <span className="menu-label">My Account</span> <span className="menu-email">{email}</span>
    </span>
  );
}

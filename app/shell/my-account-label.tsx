/** The first item of each menu: whose account it is. */
export function MyAccountLabel({ email }: { email: string }) {
  return (
    <span>
      <span className="menu-label">My Account</span> <span className="menu-email">{email}</span>
    </span>
  );
}

/** Names of a column of e-mail addresses, reduced to letters; where a file has several, the earliest counts. */
const NAMES = [
  "email",
  "emailaddress",
  "emailadresse",
  "mail",
  "mailaddress",
  "mailadresse",
  "courriel",
  "address",
  "adresse",
];

/** Which cell of each record holds the address, or why that cannot be told. */
export type AddressColumn =
  | { kind: "found"; column: number; hasHeader: boolean }
  | { kind: "missing" | "ambiguous"; names: string[] };

/**
 * Finds the column of addresses by the name in the first row, in any case and spelling ('E-Mail', 'EMAIL
 * ADDRESS', 'Customer email'). A first row with exactly one address is no header but the first record.
 */
export function findAddressColumn(
  firstRow: string[],
  isAddress: (cell: string) => boolean,
): AddressColumn {
  const addresses = firstRow.flatMap((cell, column) => (isAddress(cell) ? [column] : []));
  const [only] = addresses;
  if (only !== undefined && addresses.length === 1) {
    return { kind: "found", column: only, hasHeader: false };
  }
  const ranks = firstRow.map(rankOf);
  const best = Math.min(...ranks);
  if (best === Number.POSITIVE_INFINITY) return { kind: "missing", names: firstRow };
  const columns = ranks.flatMap((rank, column) => (rank === best ? [column] : []));
  const [column] = columns;
  if (column === undefined || columns.length > 1) {
    return { kind: "ambiguous", names: columns.map((index) => firstRow[index] ?? "") };
  }
  return { kind: "found", column, hasHeader: true };
}

function rankOf(name: string): number {
  const letters = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}]/gu, "");
  const rank = NAMES.indexOf(letters);
  if (rank !== -1) return rank;
  return letters.includes("email") ? NAMES.length : Number.POSITIVE_INFINITY;
}

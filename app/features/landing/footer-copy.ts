import { PUBLISHER } from "~/book";

/** Labels without a target yet (specification, 2). */
export const supportLabels = ["FAQ", "Shipping Info", "Returns", "Contact Us"] as const;

export const contactDetails = {
  publisher: PUBLISHER,
  street: "14 Lantern Lane",
  city: "Burlington, Vermont 05401",
  email: "hello@goldenpath.example",
  phone: "+1 (802) 555-0142",
} as const;

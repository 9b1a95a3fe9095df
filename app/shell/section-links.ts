import { useSite } from "~/features/site/page-site";

/** The header's navigation (specification, 2): each name and the id of its section on the landing page. */
const SECTION_LINKS = [
  { id: "about", label: "About" },
  { id: "preview", label: "Preview" },
  { id: "author", label: "Author" },
  { id: "reviews", label: "Reviews" },
] as const;

export const SECTION_IDS = SECTION_LINKS.map(({ id }) => id);

/** The URL that leads to a section by a page load, even from the landing page itself. */
export const sectionLoadPath = (id: string) => `/sections/${id}`;

/** Returns the navigation of the sections that the landing page has. */
export function useSectionLinks() {
  const { sections } = useSite();
  return SECTION_LINKS.filter(({ id }) => sections.includes(id));
}

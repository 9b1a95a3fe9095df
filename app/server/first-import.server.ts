// A bundle holds its modules in the order in which they are imported, each after what it imports itself. As
// the first import of app/entry.server.tsx this one comes before all that import React.
import "#runtime-setup";

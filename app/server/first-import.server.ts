// A bundle orders its modules by their imports, dependencies first. As the first import of
// app/entry.server.tsx, this one is evaluated before anything that imports React.
import "#runtime-setup";

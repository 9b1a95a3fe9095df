/// <reference types="@remix-run/node" />

// Loader types then carry the values themselves, not their JSON form, as single fetch sends them.
declare module "@remix-run/node" {
  interface Future {
    v3_singleFetch: true;
  }
}

export {};

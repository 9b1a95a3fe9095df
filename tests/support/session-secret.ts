export const SESSION_SECRET = "a secret that signs the cookies of tests only";

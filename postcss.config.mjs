import tailwind from "@tailwindcss/postcss";
import { declareColors } from "./app/styles/declare-colors.mjs";

export default {
  plugins: [declareColors, tailwind()],
};
